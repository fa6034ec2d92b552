# Takes the same environment as the image of the Apache project.
ARG BASE
FROM ${BASE}
RUN useradd --uid 1000 --home-dir /opt/kafka appuser && mkdir -p /var/lib/kafka/data /opt/kafka && chown -R appuser /var/lib/kafka /opt/kafka
COPY jars /opt/kafka/libs
COPY --chmod=755 kafka.sh /opt/kafka/kafka.sh
USER appuser
VOLUME /var/lib/kafka/data
EXPOSE 9092
CMD ["/opt/kafka/kafka.sh"]
