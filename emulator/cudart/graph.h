/* SPDX-License-Identifier: MIT */
/* CUDA graphs: operations that a stream could be given as well, and which comes before which.
 *
 *   graph.c       nodes and edges            graph_operation.c  what a node does, and doing it
 *   graph_node.c  nodes by their kind        graph_exec.c       instantiated graphs
 *   capture.c     from streams to graphs     graph_object.c     what lives as long as a graph
 *   graph_print.c as Graphviz draws them     graph_condition.c  conditional nodes
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "cudart/launch.h"
#include "cudart/runtime.h"

/* Memory that a graph allocates when it runs. Its address stays the same as long as any copy of
 * the graph exists. */
struct graph_memory {
    void *address;
    size_t size;
    unsigned references;
    bool live; /* it is allocated now */
};

/* cudaGraphNodeTypeConditional, which older toolkits lack. */
#define NODE_CONDITION ((enum cudaGraphNodeType)0x0d)

/* What a node does. It owns copies of the arguments of a kernel and its child graph, and shares
 * its memory. */
struct operation {
    enum cudaGraphNodeType type;
    union {
        struct kernel_operation kernel;
        struct cudaMemcpy3DParms copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaGraph_t child;
        cudaEvent_t event;
        struct graph_memory *memory;
        void *freed;
        struct {
            struct graph_condition *on;
            int kind;
            size_t count;
            cudaGraph_t *bodies;
        } condition;
    };
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    size_t number; /* in the order they were made */
    struct operation operation;
    struct list dependencies, dependents; /* of nodes */
    cudaGraphNode_t original; /* that it is a copy of; or NULL */
    bool disabled;
    /* While it runs: */
    size_t waits; /* the number of dependencies that are not done */
    double ready; /* when it is done, on the modelled clock */
};

struct CUgraph_st {
    struct list nodes; /* in the order they were made */
    size_t made;
    struct list objects; /* of struct CUuserObject_st, one entry for each reference */
    cudaGraph_t original; /* that it is a copy of; or NULL */
    bool is_part; /* of a node or an instantiated graph: not the program's to destroy */
};

/* graph.c */
/* Make a graph in the runtime's list; NULL if there is no memory. */
cudaGraph_t graph_make(struct runtime *runtime);
void graph_free(struct runtime *runtime, cudaGraph_t graph);
/* A copy, with its child graphs; NULL if there is no memory. */
cudaGraph_t graph_copy(struct runtime *runtime, cudaGraph_t graph);
/* The copy of `original` in a graph, or NULL. */
cudaGraphNode_t graph_find_copy(cudaGraph_t graph, cudaGraphNode_t original);
cudaError_t graph_check(const struct runtime *runtime, cudaGraph_t graph);
/* A node of any graph of the program. */
cudaError_t graph_check_node(const struct runtime *runtime, cudaGraphNode_t node);
/* Add a node that depends on these nodes of the graph. The node owns the operation; if this
 * fails, the operation is freed. */
cudaError_t graph_add(struct runtime *runtime, cudaGraph_t graph, const cudaGraphNode_t *before,
                      size_t count, struct operation *operation, cudaGraphNode_t *node);

/* graph_operation.c */
void operation_free(struct runtime *runtime, struct operation *operation);
bool operation_copy(struct runtime *runtime, const struct operation *from, struct operation *to);
/* Do the operation in the stream. */
cudaError_t operation_run(struct runtime *runtime, const struct operation *operation,
                          cudaStream_t stream);
/* Check the operation, as far as that is possible before it runs. */
cudaError_t operation_check(struct runtime *runtime, const struct operation *operation);
/* Memory for a node that allocates `size` bytes. */
cudaError_t operation_allocate(struct runtime *runtime, size_t size, const void *caller,
                               struct operation *operation);

/* Note that the program has allocated the memory, or freed it. */
void graph_memory_set(struct runtime *runtime, struct graph_memory *memory, bool live);

/* graph_exec.c */
/* The operation that stands for `node` in an instantiated graph. */
cudaError_t graph_exec_operation(const struct runtime *runtime, cudaGraphExec_t exec,
                                 cudaGraphNode_t node, struct operation **operation);
/* Run it after the work of the stream. */
cudaError_t graph_exec_run(struct runtime *runtime, cudaGraphExec_t exec, cudaStream_t stream);
void graph_exec_clear(struct runtime *runtime);

/* graph_condition.c */
/* Forget that conditions were made in the graph, which is going. */
void conditions_forget(struct runtime *runtime, cudaGraph_t graph);
/* Does a node look at each condition that was made in the graph? */
bool conditions_used(const struct runtime *runtime, cudaGraph_t graph);
/* The graph is launched: conditions get their initial values. */
void conditions_begin(cudaGraph_t graph);
/* The body that a conditional node runs now, or NULL. Does it ask `again` after that? */
cudaGraph_t condition_body(const struct operation *operation, bool *again);
void condition_free(struct runtime *runtime, const struct operation *operation);
/* Give `to`, which has the members of `from`, bodies of its own. */
bool condition_copy(struct runtime *runtime, const struct operation *from, struct operation *to);
#if CUDART_VERSION >= 12040
/* A conditional node with empty bodies, which the parameters name from then on. */
cudaError_t operation_of_condition(struct runtime *runtime, struct cudaConditionalNodeParams *parms,
                                   struct operation *operation);
#endif

/* graph_object.c */
/* Make a copy of a graph share the objects of the graph until it is freed. */
bool objects_share(cudaGraph_t from, cudaGraph_t to);
void objects_release(struct runtime *runtime, cudaGraph_t graph);

#endif
