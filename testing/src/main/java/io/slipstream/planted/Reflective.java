// SPDX-License-Identifier: Apache-2.0
package io.slipstream.planted;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Whole methods in a wrong version, for bugs that advice on one call cannot express. They reach what is private in
 * proxy and plugin.
 */
public final class Reflective {
    /** By fetcher, the last one. */
    private static final Map<Object, Object> ANSWERS = new WeakHashMap<>();

    private Reflective() {}

    /** As FetchAttempt's check after a read, but of the first partition only. Returns false if it decides nothing. */
    public static boolean recheckFirst(Object attempt) {
        Object slots = get(attempt, "slots");
        Object rechecked = get(attempt, "rechecked");
        call(slots, "slotOf", 0, rechecked);
        Object first = ((Object[]) get(get(attempt, "cursors"), "entries"))[0];
        boolean good = (boolean) call(rechecked, "isConsistent")
                && call(rechecked, "generation").equals(get(first, "generation"))
                && !(boolean) call(rechecked, "isRevoked")
                && (boolean) call(call(get(attempt, "link"), "lease"), "isFresh");
        if (good) {
            call(get(attempt, "answer"), "cut");
        }
        return good;
    }

    /** As FetchAttempt's check after a read, but of no partition. */
    public static void recheckNothing(Object attempt) {
        call(get(attempt, "answer"), "cut");
    }

    /** As LinkSlots asks the authorizer again, but one session's answer counts for all that read the topic. */
    public static void reauthorizeByTopic(Object link, Object logs) {
        Map<Object, Object> answers = new HashMap<>();
        Map<?, ?> sessions = (Map<?, ?>) get(link, "sessions");
        for (Object slot : ((Map<?, ?>) get(link, "slotsByLog")).values().toArray()) {
            Object topic = call(get(get(slot, "feed"), "readable"), "topic");
            for (Object id : (Iterable<?>) get(slot, "sessions")) {
                Object session = sessions.get(id);
                if (session != null && !(boolean) get(slot, "revoked")) {
                    Object context = call(session, "requestContext");
                    if (!(boolean) answers.computeIfAbsent(topic, t -> call(logs, "mayStillRead", context, t))) {
                        call(get(link, "directory"), "take", slot);
                    }
                }
            }
        }
    }

    /** As LinkSlots asks the authorizer again, but for one session of each slot. */
    public static void reauthorizeFirstSessions(Object link, Object logs) {
        Map<?, ?> sessions = (Map<?, ?>) get(link, "sessions");
        for (Object slot : ((Map<?, ?>) get(link, "slotsByLog")).values().toArray()) {
            Iterator<?> ids = ((Iterable<?>) get(slot, "sessions")).iterator();
            Object session = ids.hasNext() ? sessions.get(ids.next()) : null;
            Object topic = call(get(get(slot, "feed"), "readable"), "topic");
            if (session != null
                    && !(boolean) get(slot, "revoked")
                    && !(boolean) call(logs, "mayStillRead", call(session, "requestContext"), topic)) {
                call(get(link, "directory"), "take", slot);
            }
        }
    }

    /** Returns the answer that this fetcher got before; the same one the first time, and without an answer. */
    public static Object before(Object fetcher, Object answer) {
        Object before = answer == null ? null : ANSWERS.put(fetcher, answer);
        return before == null ? answer : before;
    }

    private static Object get(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(of.getClass() + " has no field " + name, e);
        }
    }

    private static Object call(Object of, String name, Object... arguments) {
        try {
            Method method = Arrays.stream(of.getClass().getDeclaredMethods())
                    .filter(each -> each.getName().equals(name) && each.getParameterCount() == arguments.length)
                    .findFirst()
                    .orElseThrow(() -> new NoSuchMethodException(name));
            method.setAccessible(true);
            return method.invoke(of, arguments);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(of.getClass() + " has no method " + name, e);
        }
    }
}
