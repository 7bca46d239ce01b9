/* SPDX-License-Identifier: MIT */
/* Devices and each other's memory. */
#include "cudart/runtime.h"

/* GPUs that have a link can reach each other's memory. */
static bool can_reach(const struct runtime *runtime, int device, int peer)
{
    return device != peer && machine_gpu(runtime->devices[device].machine)->link_gbs > 0;
}

static bool are_devices(const struct runtime *runtime, int device, int peer)
{
    return device_exists(runtime, device) && device_exists(runtime, peer);
}

ENTRY(ASIDE, cudaDeviceCanAccessPeer, (can, device, peer), int *can, int device, int peer)
{
    if (!can)
        return cudaErrorInvalidValue;
    if (!are_devices(runtime, device, peer))
        return cudaErrorInvalidDevice;
    *can = can_reach(runtime, device, peer);
    return cudaSuccess;
}

/* A device and itself are no pair. Links are all equally fast, and atomics pass over those that are
 * faster than PCI. */
ENTRY(ASIDE, cudaDeviceGetP2PAttribute, (value, attribute, source, target), int *value,
      enum cudaDeviceP2PAttr attribute, int source, int target)
{
    if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrCudaArrayAccessSupported)
        return cudaErrorInvalidValue;
    if (source == target || !are_devices(runtime, source, target))
        return cudaErrorInvalidDevice;
    const struct gpu *gpu = machine_gpu(runtime->machine);
    const bool reaches = can_reach(runtime, source, target);
    *value = attribute == cudaDevP2PAttrAccessSupported || /* of arrays as of other memory */
                     attribute == cudaDevP2PAttrCudaArrayAccessSupported
                 ? reaches
             : attribute == cudaDevP2PAttrNativeAtomicSupported
                 ? reaches && gpu->link_gbs > gpu->pcie_gbs
                 : 0;
    return cudaSuccess;
}

bool peer_enabled(const struct runtime *runtime, int device, int peer)
{
    return runtime->devices[device].peers >> peer & 1;
}

static void set_peer(struct runtime *runtime, int peer, bool may)
{
    struct device *device = runtime->device;

    device->peers = (device->peers & ~(UINT64_C(1) << peer)) | (uint64_t)may << peer;
    machine_set_reach(device->machine, peer, may);
}

ENTRY(ASIDE, cudaDeviceEnablePeerAccess, (peer, flags), int peer, unsigned flags)
{
    const int device = runtime->device->number;

    if (flags)
        return cudaErrorInvalidValue;
    if (!device_exists(runtime, peer))
        return cudaErrorInvalidDevice;
    if (!can_reach(runtime, device, peer))
        return cudaErrorPeerAccessUnsupported;
    if (peer_enabled(runtime, device, peer))
        return cudaErrorPeerAccessAlreadyEnabled;
    set_peer(runtime, peer, true);
    return cudaSuccess;
}

ENTRY(API, cudaDeviceDisablePeerAccess, (peer), int peer)
{
    if (!device_exists(runtime, peer))
        return cudaErrorInvalidDevice;
    if (!peer_enabled(runtime, runtime->device->number, peer))
        return cudaErrorPeerAccessNotEnabled;
    set_peer(runtime, peer, false);
    return cudaSuccess;
}

void peer_clear(struct runtime *runtime)
{
    for (int peer = 0; peer < runtime->device_count; peer++)
        if (peer_enabled(runtime, runtime->device->number, peer))
            set_peer(runtime, peer, false);
}
