# The supervisor of a task: serves its executor, speaks with the runtime through a bucket.
# BASE is any image with Node >= 20.19 and mkfifo.
ARG BASE=timeloom-base:bookworm
FROM ${BASE}
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && mkdir -p /opt/timeloom/inputs /run/timeloom /out \
 && chown 1002:1002 /opt/timeloom/inputs /run/timeloom /out \
 && chmod 1777 /out
COPY task.mjs /opt/timeloom/task.mjs
RUN chmod -R a+rX /opt/timeloom
# A volume of a task takes owner and mode from here.
VOLUME ["/run/timeloom", "/opt/timeloom/inputs", "/out"]
USER 1002:1002
ENTRYPOINT ["node", "/opt/timeloom/task.mjs"]
