# The executor of a Fargate task. Its folders are volumes, because a task has no in-memory file systems.
# EXECUTOR is the image of deploy/images/executor.Dockerfile.
ARG EXECUTOR=timeloom-executor:latest
FROM ${EXECUTOR}
USER 0:0
# The supervisor owns what both see; in /out each may add, and nobody moves what is another's.
RUN mkdir -p /opt/timeloom/inputs /run/timeloom \
 && chown 1002:1002 /opt/timeloom/inputs /run/timeloom /out \
 && chmod 1777 /out /tmp \
 && chown 1001:1001 /work \
 && chmod 0700 /work
VOLUME ["/run/timeloom", "/opt/timeloom/inputs", "/out", "/work", "/tmp"]
USER 1001:1001
ENTRYPOINT ["/opt/timeloom/bin/python3", "-I", "-S", "-B", "/opt/timeloom/executor/disk_guard.py"]
