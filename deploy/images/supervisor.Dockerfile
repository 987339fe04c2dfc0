# The supervisor of one execution: serves the executor's stream and holds its files. It has no secrets.
# BASE is any image with Node >= 22.19.
ARG BASE=timeloom-base:bookworm
FROM ${BASE}
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + && mkdir -p /opt/timeloom /run/timeloom /collect
COPY supervisor.mjs /opt/timeloom/supervisor.mjs
RUN chmod -R a+rX /opt/timeloom
USER 65534:65534
ENTRYPOINT ["node", "/opt/timeloom/supervisor.mjs"]
