# The supervisor of a Fargate task: serves the executor and exchanges messages with the runtime through a bucket. With
# another entry point and the program's user, the keeper: measures what the program writes and unlocks its files.
# BASE is any image with Node >= 22.19 and mkfifo.
ARG BASE=timeloom-base:bookworm
FROM ${BASE}
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && mkdir -p /opt/timeloom/inputs /run/timeloom /run/timeloom-keeper /out /work /tmp \
 && chown 1002:1002 /opt/timeloom/inputs /run/timeloom /run/timeloom-keeper /out \
 && chmod 1777 /out /tmp \
 && chown 1001:1001 /work \
 && chmod 0700 /work
COPY task.mjs keeper.mjs /opt/timeloom/
RUN chmod -R a+rX /opt/timeloom
# A task volume takes its owner and mode from here.
VOLUME ["/run/timeloom", "/run/timeloom-keeper", "/opt/timeloom/inputs", "/out", "/work", "/tmp"]
USER 1002:1002
ENTRYPOINT ["node", "/opt/timeloom/task.mjs"]
