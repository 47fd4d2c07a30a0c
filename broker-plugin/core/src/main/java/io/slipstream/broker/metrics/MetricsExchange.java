// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/**
 * One HTTP exchange: reads the head of a request, answers it, and closes the connection. It needs only the request line
 * (RFC 9112, section 3), so the plugin brings no HTTP library into the broker.
 */
final class MetricsExchange extends ChannelInboundHandlerAdapter {
    static final int MOST_REQUEST_BYTES = 8192;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final Supplier<String> page;
    private final StringBuilder head = new StringBuilder(256);
    private boolean answered;

    MetricsExchange(Supplier<String> page) {
        this.page = page;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            if (!answered) {
                take(ctx, bytes);
            }
        } finally {
            bytes.release();
        }
    }

    private void take(ChannelHandlerContext ctx, ByteBuf bytes) {
        int room = MOST_REQUEST_BYTES - head.length();
        head.append(bytes.toString(
                bytes.readerIndex(), Math.min(room, bytes.readableBytes()), StandardCharsets.ISO_8859_1));
        if (head.indexOf("\r\n\r\n") >= 0) {
            answer(ctx, head.substring(0, head.indexOf("\r\n")).split(" ", -1));
        } else if (bytes.readableBytes() > room) {
            send(ctx, "431 Request Header Fields Too Large", TEXT, "the request is too large\n");
        }
    }

    private void answer(ChannelHandlerContext ctx, String[] line) {
        if (line.length != 3 || !line[2].startsWith("HTTP/1.")) {
            send(ctx, "400 Bad Request", TEXT, "not HTTP\n");
        } else if (!line[1].split("\\?", 2)[0].equals("/metrics")) {
            send(ctx, "404 Not Found", TEXT, "pages: /metrics\n");
        } else if (!line[0].equals("GET")) {
            send(ctx, "405 Method Not Allowed", TEXT, "GET only\n");
        } else {
            send(ctx, "200 OK", PROMETHEUS, page.get());
        }
    }

    private void send(ChannelHandlerContext ctx, String status, String type, String text) {
        answered = true;
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        String headers = "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length
                + "\r\nConnection: close\r\n\r\n";
        ByteBuf answer = ctx.alloc().buffer(headers.length() + body.length);
        ByteBufUtil.writeAscii(answer, headers);
        answer.writeBytes(body);
        ctx.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
