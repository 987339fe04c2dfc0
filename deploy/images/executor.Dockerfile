# The container of generated code: an interpreter for each language, the launcher and two harnesses.
# BASE is any image with Node >= 22.19 and Python >= 3.11 with ctypes and json.
ARG BASE=timeloom-base:bookworm
FROM ${BASE}
# Programs must not be able to change their user.
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && mkdir -p /opt/timeloom/bin /work /out \
 && ln -s "$(command -v node)" /opt/timeloom/bin/node \
 && ln -s "$(command -v python3)" /opt/timeloom/bin/python3
COPY executor/ /opt/timeloom/executor/
RUN chmod -R a+rX /opt/timeloom
USER 65534:65534
ENTRYPOINT ["/opt/timeloom/bin/python3", "-I", "-S", "-B", "/opt/timeloom/executor/launcher.py"]
