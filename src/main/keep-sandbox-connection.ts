import type { Connections } from './features/connections'
import type { SandboxReady } from './sandbox/host'

/** Makes sure that the sandbox is among the connections, at its present addresses and with the secret of its client. */
export async function keepSandboxConnection(
  { connections }: { connections: Connections },
  { addresses, iam: { tokenUrl, clientId, clientSecret } }: SandboxReady,
): Promise<void> {
  const tokenSource = { kind: 'client-credentials', tokenUrl, clientId } as const
  await connections.keepBuiltIn({ addresses, tokenSource, secret: clientSecret })
}
