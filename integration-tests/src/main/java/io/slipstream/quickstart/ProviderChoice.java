package io.slipstream.quickstart;

/** What {@code --provider} may say. */
enum ProviderChoice {
    AUTO,
    SHM,
    VERBS,
    TCP;

    String setting() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
