// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
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
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The pages of the management port.
 *
 * <table>
 *   <caption>Pages</caption>
 *   <tr><td>GET /metrics<td>meters, Prometheus text
 *   <tr><td>GET /livez<td>200 as long as the event loops run, else 503 with the name of one that does not
 *   <tr><td>GET /readyz<td>200 if clients are served (TCP suffices), with the RDMA devices in use, else 503 with the
 *   reason
 *   <tr><td>GET /rdma<td>{@code enabled} or {@code disabled}
 *   <tr><td>PUT or POST /rdma?enabled=true|false<td>switches RDMA; connections stay
 *   <tr><td>GET /top<td>current activity, as JSON
 *   <tr><td>GET /log<td>loggers with a level of their own
 *   <tr><td>PUT or POST /log?logger=L&level=V[&for=10m]<td>sets a logger's level, optionally for a duration
 *   <tr><td>POST or PUT /tls/reload<td>reads key and trust stores again; 500 with the reason if one cannot be read
 * </table>
 *
 * Requests that are not HTTP, for another host, or for an unknown page, get an error status and have no other effect.
 */
final class ManagementHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PAGES = "pages: /metrics /livez /readyz /rdma /top /log /tls/reload\n";
    private static final String OTHER_HOST = "use an address or localhost, or add the name to management.names\n";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final ManagementPages pages;
    private final AllowedHosts hosts;
    private final ManagementConnections connections;
    private final RequestDeadline deadline;

    ManagementHandler(
            ManagementPages pages, AllowedHosts hosts, ManagementConnections connections, RequestDeadline deadline) {
        this.pages = pages;
        this.hosts = hosts;
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
        HttpMethod method = request.method();
        boolean get = method.equals(HttpMethod.GET);
        if (!request.headers().getAll(HttpHeaderNames.HOST).stream().allMatch(hosts::allow)) {
            send(ctx, keepAlive, HttpResponseStatus.MISDIRECTED_REQUEST, TEXT, OTHER_HOST);
            return;
        }
        if (!get && request.headers().contains(HttpHeaderNames.ORIGIN)) {
            // The request comes from a page in a browser on this host, of unknown origin.
            send(ctx, keepAlive, HttpResponseStatus.FORBIDDEN, TEXT, "requests of browsers are refused\n");
            return;
        }
        boolean change = method.equals(HttpMethod.PUT) || method.equals(HttpMethod.POST);
        String path = path(uri);
        String refusal = refusal(path, get, change);
        if (refusal != null) {
            send(ctx, keepAlive, HttpResponseStatus.METHOD_NOT_ALLOWED, TEXT, refusal);
            return;
        }
        switch (path) {
            case "/metrics" -> send(ctx, keepAlive, HttpResponseStatus.OK, PROMETHEUS, pages.metrics());
            case "/livez" -> health(ctx, keepAlive, pages.notLiveReason(), "");
            case "/readyz" -> health(ctx, keepAlive, pages.notReadyReason(), "rdma: " + pages.rdmaInUse() + "\n");
            case "/rdma" -> rdma(ctx, keepAlive, change, uri);
            case "/top" -> live(ctx, keepAlive);
            case "/log" -> log(ctx, keepAlive, change, uri);
            case "/tls/reload" -> reloadTls(ctx, keepAlive);
            default -> send(ctx, keepAlive, HttpResponseStatus.NOT_FOUND, TEXT, PAGES);
        }
    }

    /** The methods that the page allows, if the request's is not among them; else null. */
    private static String refusal(String path, boolean get, boolean change) {
        return switch (path) {
            case "/metrics", "/livez", "/top" -> get ? null : "GET only\n";
            case "/rdma", "/log" -> get || change ? null : "GET, PUT or POST\n";
            case "/tls/reload" -> change ? null : "POST or PUT\n";
            default -> null;
        };
    }

    private static String path(QueryStringDecoder uri) {
        try {
            return uri.path();
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    /** The parameter's value; empty if it is missing or repeated. */
    private static String parameter(QueryStringDecoder uri, String name) {
        try {
            List<String> values = uri.parameters().getOrDefault(name, List.of());
            return values.size() == 1 ? values.get(0) : "";
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }

    private static void health(ChannelHandlerContext ctx, boolean keepAlive, String reason, String more) {
        if (reason == null) {
            send(ctx, keepAlive, HttpResponseStatus.OK, TEXT, "ok\n" + more);
        } else {
            send(ctx, keepAlive, HttpResponseStatus.SERVICE_UNAVAILABLE, TEXT, reason + "\n");
        }
    }

    private void rdma(ChannelHandlerContext ctx, boolean keepAlive, boolean change, QueryStringDecoder uri) {
        if (change) {
            String wanted = parameter(uri, "enabled");
            if (!wanted.equals("true") && !wanted.equals("false")) {
                refuse(ctx, keepAlive, "use /rdma?enabled=true or /rdma?enabled=false");
                return;
            }
            pages.setRdmaEnabled(wanted.equals("true"));
        }
        send(ctx, keepAlive, HttpResponseStatus.OK, TEXT, pages.isRdmaEnabled() ? "enabled\n" : "disabled\n");
    }

    private void live(ChannelHandlerContext ctx, boolean keepAlive) {
        later(
                ctx,
                pages.live(),
                page -> send(ctx, keepAlive, HttpResponseStatus.OK, JSON, Unpooled.wrappedBuffer(page)));
    }

    /** Answers with the result when it is there. */
    private static <T> void later(ChannelHandlerContext ctx, CompletableFuture<T> result, Consumer<T> answer) {
        result.whenComplete((done, failure) -> ctx.executor().execute(() -> {
            if (failure != null) {
                send(ctx, false, HttpResponseStatus.INTERNAL_SERVER_ERROR, TEXT, failure + "\n");
            } else {
                answer.accept(done);
            }
        }));
    }

    private void log(ChannelHandlerContext ctx, boolean keepAlive, boolean change, QueryStringDecoder uri) {
        if (change) {
            String logger = parameter(uri, "logger");
            String level = parameter(uri, "level");
            if (logger.isEmpty() || level.isEmpty()) {
                refuse(ctx, keepAlive, "use /log?logger=io.slipstream&level=DEBUG, optionally with &for=10m");
                return;
            }
            try {
                pages.logLevels().set(logger, level, parameter(uri, "for"));
            } catch (IllegalArgumentException e) {
                refuse(ctx, keepAlive, e.getMessage());
                return;
            }
        }
        send(ctx, keepAlive, HttpResponseStatus.OK, TEXT, pages.logLevels().describe());
    }

    private void reloadTls(ChannelHandlerContext ctx, boolean keepAlive) {
        later(ctx, pages.reloadTls(), reload -> {
            String lines = reload.lines().isEmpty() ? "TLS is not configured\n" : reload.lines();
            boolean good = reload.succeeded();
            send(ctx, keepAlive, good ? HttpResponseStatus.OK : HttpResponseStatus.INTERNAL_SERVER_ERROR, TEXT, lines);
        });
    }

    private static void refuse(ChannelHandlerContext ctx, boolean keepAlive, String why) {
        send(ctx, keepAlive, HttpResponseStatus.BAD_REQUEST, TEXT, why + "\n");
    }

    private static void send(
            ChannelHandlerContext ctx, boolean keepAlive, HttpResponseStatus status, String type, String text) {
        send(ctx, keepAlive, status, type, ByteBufUtil.writeUtf8(ctx.alloc(), text));
    }

    private static void send(
            ChannelHandlerContext ctx, boolean keepAlive, HttpResponseStatus status, String type, ByteBuf body) {
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
