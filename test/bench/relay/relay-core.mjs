import { createRequire } from 'node:module'

/**
 * The relay without its ledger. Gets the path of its built module as an argument, counts its records, and exits with
 * its parent.
 */
const { startRelay, Secret } = createRequire(import.meta.url)(String(process.argv[2]))
const { gatewayPort, token } = JSON.parse(String(process.argv[3]))

const upstream = {
  planId: 'plan',
  keyId: 'key',
  gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
  models: ['bench'],
  key: new Secret(`sk-bench-${'0123456789'.repeat(4)}`),
  network: { kind: 'direct' },
}
const clients = [{ toolId: 'bench', token: new Secret(token), upstreams: [upstream] }]
let tokens = 0
const record = (/** @type {{ inputTokens?: number, outputTokens?: number }} */ entry) => {
  tokens += (entry.inputTokens ?? 0) + (entry.outputTokens ?? 0)
}
const relay = await startRelay({ port: 0, table: { clients, isPaused: false }, record, caFiles: [] })
process.send?.({ kind: 'ready', port: relay.port })
process.on('disconnect', () => process.exit(tokens > 0 ? 0 : 1))
