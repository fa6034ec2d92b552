#!/bin/bash
# Writes KAFKA_<NAME> as name=<value>, formats the storage the first time, runs the broker.
set -euf # -f: the star of the class path is for java
settings=/opt/kafka/server.properties
env | grep -E '^KAFKA_' | grep -vE '^KAFKA_(HEAP_OPTS|OPTS)=' | while IFS='=' read -r name value; do
  name=${name#KAFKA_}
  name=${name,,}
  printf '%s=%s\n' "${name//_/.}" "$value"
done > "$settings"
java="java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp /opt/kafka/libs/*"
$java -Xmx128m kafka.tools.StorageTool format --ignore-formatted -t "$CLUSTER_ID" -c "$settings"
exec $java ${KAFKA_HEAP_OPTS:--Xmx512m} kafka.Kafka "$settings"
