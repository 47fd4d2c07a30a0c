#!/bin/bash
# The variables of Kafka's own script of this name that matter here, in its order.
# shellcheck disable=SC2086
exec java ${KAFKA_HEAP_OPTS:--Xmx256m} $KAFKA_JVM_PERFORMANCE_OPTS ${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=/opt/kafka/config/tools-log4j2.yaml} \
    -cp '/opt/kafka/libs/*' $KAFKA_OPTS "$@"
