// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A history in a file. Layout: {@link #MAGIC}, the signatures of all kinds of events in the order of their numbers, the
 * events as {@link EventCodec} writes them, and an end mark. A file without end mark counts as truncated.
 */
public final class HistoryFile implements History {
    private static final String MAGIC = "slipstream history 1";
    private static final List<String> SIGNATURES =
            EventShape.ALL.stream().map(EventShape::signature).toList();

    private final Path path;

    private HistoryFile(Path path) {
        this.path = path;
    }

    /** @throws UncheckedIOException that names the file if it is not of this version */
    public static HistoryFile open(Path path) {
        try (VarintInput in = new VarintInput(Files.newInputStream(path))) {
            readHeader(in);
            return new HistoryFile(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the history " + path, e);
        }
    }

    /** Creates a file and overwrites an existing one. */
    public static Recorder create(Path path) {
        try {
            return new Writer(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history " + path, e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void forEach(Consumer<? super Event> visitor) {
        long count = 0;
        try (VarintInput in = new VarintInput(Files.newInputStream(path))) {
            readHeader(in);
            EventCodec codec = new EventCodec();
            for (Event event = codec.read(in); event != null; event = codec.read(in)) {
                visitor.accept(event);
                count++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read event " + count + " of the history " + path, e);
        }
    }

    private static void readHeader(VarintInput in) throws IOException {
        String magic = in.readText();
        if (!magic.equals(MAGIC)) {
            throw new IOException("it does not begin with \"" + MAGIC + "\"");
        }
        long count = in.readLong();
        for (int i = 0; i < count; i++) {
            String signature = in.readText();
            if (i >= SIGNATURES.size() || !SIGNATURES.get(i).equals(signature)) {
                throw new IOException("it has events of another version of the model: " + signature);
            }
        }
        if (count != SIGNATURES.size()) {
            throw new IOException("it knows " + count + " kinds of events, not " + SIGNATURES.size());
        }
    }

    private static final class Writer implements Recorder {
        private final Path path;
        private final VarintOutput out;
        private final EventCodec codec = new EventCodec();
        private boolean closed;

        private Writer(Path path) throws IOException {
            this.path = path;
            out = new VarintOutput(Files.newOutputStream(path));
            out.writeText(MAGIC);
            out.writeLong(SIGNATURES.size());
            for (String signature : SIGNATURES) {
                out.writeText(signature);
            }
        }

        @Override
        public synchronized void record(Event event) {
            if (closed) {
                throw new IllegalStateException("the history " + path + " is closed; too late for " + event);
            }
            try {
                codec.write(event, out);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write the history " + path, e);
            }
        }

        @Override
        public synchronized void close() {
            if (closed) {
                return;
            }
            closed = true;
            try (out) {
                out.writeLong(EventCodec.END);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot finish the history " + path, e);
            }
        }
    }
}
