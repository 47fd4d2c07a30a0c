package io.slipstream.proxy.management;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;

/**
 * The pages of the management port.
 *
 * <table>
 *   <caption>Pages</caption>
 *   <tr><td>GET /metrics<td>meters, Prometheus text
 *   <tr><td>GET /livez<td>200 as long as the event loops run
 *   <tr><td>GET /readyz<td>200 if clients are served (TCP suffices), with the RDMA devices in use, else 503 with the reason
 *   <tr><td>GET /rdma<td>{@code enabled} or {@code disabled}
 *   <tr><td>PUT or POST /rdma?enabled=true|false<td>switches RDMA; connections stay
 * </table>
 *
 * What is no HTTP, or a page that does not exist, gets its status and nothing else happens.
 */
final class ManagementHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final ManagementPages pages;
    private final ManagementConnections connections;
    private final RequestDeadline deadline;

    ManagementHandler(ManagementPages pages, ManagementConnections connections, RequestDeadline deadline) {
        this.pages = pages;
        this.connections = connections;
        this.deadline = deadline;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        deadline.onRequest();
        connections.onRequest(ctx.channel());
        if (!request.decoderResult().isSuccess()) {
            send(ctx, false, HttpResponseStatus.BAD_REQUEST, TEXT, "not HTTP\n");
            return;
        }
        QueryStringDecoder uri = new QueryStringDecoder(request.uri());
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        boolean get = request.method().equals(HttpMethod.GET);
        switch (path(uri)) {
            case "/metrics" -> sendIf(get, ctx, keepAlive, PROMETHEUS, get ? pages.metrics() : "");
            case "/livez" -> sendIf(get, ctx, keepAlive, TEXT, "ok\n");
            case "/readyz" -> ready(ctx, keepAlive);
            case "/rdma" -> rdma(ctx, keepAlive, request.method(), uri);
            default ->
                send(ctx, keepAlive, HttpResponseStatus.NOT_FOUND, TEXT, "pages: /metrics /livez /readyz /rdma\n");
        }
    }

    private static String path(QueryStringDecoder uri) {
        try {
            return uri.path();
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    private void ready(ChannelHandlerContext ctx, boolean keepAlive) {
        String reason = pages.notReadyReason();
        if (reason == null) {
            send(ctx, keepAlive, HttpResponseStatus.OK, TEXT, "ok\nrdma: " + pages.rdmaInUse() + "\n");
        } else {
            send(ctx, keepAlive, HttpResponseStatus.SERVICE_UNAVAILABLE, TEXT, reason + "\n");
        }
    }

    private void rdma(ChannelHandlerContext ctx, boolean keepAlive, HttpMethod method, QueryStringDecoder uri) {
        if (method.equals(HttpMethod.PUT) || method.equals(HttpMethod.POST)) {
            String wanted = enabledParameter(uri);
            if (!wanted.equals("true") && !wanted.equals("false")) {
                send(
                        ctx,
                        keepAlive,
                        HttpResponseStatus.BAD_REQUEST,
                        TEXT,
                        "say /rdma?enabled=true or /rdma?enabled=false\n");
                return;
            }
            pages.setRdmaEnabled(wanted.equals("true"));
        } else if (!method.equals(HttpMethod.GET)) {
            send(ctx, keepAlive, HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, "GET, PUT or POST\n");
            return;
        }
        send(ctx, keepAlive, HttpResponseStatus.OK, TEXT, pages.isRdmaEnabled() ? "enabled\n" : "disabled\n");
    }

    private static String enabledParameter(QueryStringDecoder uri) {
        try {
            List<String> values = uri.parameters().getOrDefault("enabled", List.of());
            return values.size() == 1 ? values.get(0) : "";
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    private static void sendIf(
            boolean allowed, ChannelHandlerContext ctx, boolean keepAlive, String type, String text) {
        if (allowed) {
            send(ctx, keepAlive, HttpResponseStatus.OK, type, text);
        } else {
            send(ctx, keepAlive, HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, "GET only\n");
        }
    }

    private static void send(
            ChannelHandlerContext ctx, boolean keepAlive, HttpResponseStatus status, String type, String text) {
        ByteBuf body = ByteBufUtil.writeUtf8(ctx.alloc(), text);
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, type)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes())
                .set(HttpHeaderNames.CONNECTION, keepAlive ? HttpHeaderValues.KEEP_ALIVE : HttpHeaderValues.CLOSE);
        var written = ctx.writeAndFlush(response);
        if (!keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
