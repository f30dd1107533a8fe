# The service as an image: docker build -t sfumato . && docker run -p 127.0.0.1:8000:8000 -v sfumato:/data sfumato
# compose.yaml runs it with PostgreSQL. See docs/guides/service.md.

FROM python:3.12-slim AS wheel
WORKDIR /checkout
COPY requirements/build.txt requirements/
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.12-slim AS installed
COPY requirements/service.txt /requirements.txt
RUN python -m venv /opt/sfumato \
    && /opt/sfumato/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /requirements.txt
COPY --from=wheel /wheels /wheels
RUN /opt/sfumato/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps /wheels/*.whl

FROM python:3.12-slim
COPY --from=installed /opt/sfumato /opt/sfumato
RUN useradd --uid 10001 --create-home sfumato \
    && install --directory --owner sfumato --group sfumato --mode 0700 /data /var/cache/sfumato
ENV PATH=/opt/sfumato/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    NUMBA_CACHE_DIR=/var/cache/sfumato \
    SFUMATO_ADDRESS=http://localhost:8000
USER sfumato
# The loops of the search, compiled once and not at every start.
RUN python -m sfumato.search.compiled.warm
VOLUME /data
EXPOSE 8000
# Whatever proxy the environment names for the way out, this goes no further than the container.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import ProxyHandler, build_opener; build_opener(ProxyHandler({})).open('http://127.0.0.1:8000/health', timeout=4)"]
# Ctrl-C is how it ends.
STOPSIGNAL SIGINT
CMD ["sfumato", "serve", "--folder", "/data", "--host", "0.0.0.0", "--port", "8000"]
