/** Names under which the platform may return the id and the address of an endpoint (not in the spec), first match wins. */
export const endpointIdNames = ['id', 'endpointId', 'uuid', 'name'] as const
export const endpointAddressNames = ['url', 'endpointUrl', 'address', 'host', 'invokeUrl'] as const
