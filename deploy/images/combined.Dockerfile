# Executor and supervisor in one container, for hosts that cannot separate them; two users, neither is root.
# BASE is the image of deploy/images/executor.Dockerfile.
ARG BASE=timeloom-executor:latest
FROM ${BASE}
USER 0:0
# Only the engine looks into the first two: what it puts and takes is beneath. The others are the program's; what is
# mounted there gets the mode of what it hides.
RUN mkdir -m 0700 /inputs /collect && chmod 0700 /work /tmp && mkdir -p /run/timeloom
COPY supervisor.mjs /opt/timeloom/supervisor.mjs
RUN chmod -R a+rX /opt/timeloom
USER 65534:65534
ENTRYPOINT ["/opt/timeloom/bin/python3", "-I", "-S", "-B", "/opt/timeloom/executor/guard.py"]
