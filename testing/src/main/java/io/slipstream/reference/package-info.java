/**
 * The tables of docs/metrics.md. They are made of the enums of meters, which are the documents of record. A test keeps
 * page and enums equal.
 */
package io.slipstream.reference;
