# A machine to learn on, or to test on without a GPU: CUDA's compiler, and emu in /usr/local.
#
#   docker build -t cuda-step-by-step .
#   docker run --rm -v "$PWD:/work" cuda-step-by-step sh -c \
#       'nvcc -cudart shared -gencode arch=compute_75,code=compute_75 -o mine mine.cu && emu ./mine'
FROM debian:12 AS learn
WORKDIR /opt/cuda-step-by-step
COPY . .
RUN apt-get -qq update \
    && ./tour sumsq --on emulator \
    && cmake --install build/default --prefix /usr/local \
    && rm -rf build /var/lib/apt/lists/*
ENV CUDA_HOME=/opt/cuda-step-by-step/.toolkit/cuda-13.0
ENV PATH=$CUDA_HOME/bin:$PATH
WORKDIR /work

# The classroom in a browser, for a course; its class.txt and what students write lie in /class, which
# user 1000 must be able to write:
#
#   docker build -t classroom --target classroom .
#   docker run --rm -p 8765:8765 -v "$PWD/class:/class" --security-opt seccomp=unconfined \
#       --security-opt systempaths=unconfined classroom
#
# The two options let the container make sandboxes of its own: without them programs do not run.
FROM debian:12 AS classroom
WORKDIR /opt/cuda-step-by-step
COPY . .
RUN apt-get -qq update \
    && ./tour serve --set-up \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home classroom && chown -R classroom build
USER classroom
EXPOSE 8765
CMD ["./tour", "serve", "--bind", "0.0.0.0", "--class", "/class/class.txt"]

# The default target.
FROM learn
