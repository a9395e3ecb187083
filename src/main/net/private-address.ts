import { BlockList, isIP } from 'node:net'

const near = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // What private overlay networks use.
  ['100.64.0.0', 10],
] as const)
  near.addSubnet(network, bits, 'ipv4')
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/** Whether an IP address is this computer's or one of a private network. */
export const isLocalOrPrivate = (address: string): boolean => near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
