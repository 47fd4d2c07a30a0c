// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a component of a control message that may be null; it is a nullable string on the wire. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Nullable {}
