# The server of one model (docs/serving.md). The model file is mounted when the container starts.
FROM python:3.12-slim
WORKDIR /unseen
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir ".[server]" && useradd --no-create-home server
USER server
EXPOSE 8000
# Within the container every address is meant; which machines reach it is decided where its port is published. It needs
# a token, from the environment variable UNSEEN_TOKEN.
ENTRYPOINT ["unseen", "serve", "--host", "0.0.0.0"]
CMD ["/model.unseen"]
