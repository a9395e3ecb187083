import { onTestFinished } from 'vitest'
import { AllowedCommands } from '../../src/main/core/consent/consent'
import type { SettingsStore } from '../../src/main/core/settings/settings'
import { createVault } from '../../src/main/core/vault/vault'
import { Connections } from '../../src/main/plans/connections/connections'
import type { ConnectionPorts } from '../../src/main/plans/connections/open-connection'
import { MemoryKeychain } from './memory-keychain'
import { memorySettings } from './memory-settings'

type ConnectionsDeps = ConstructorParameters<typeof Connections>[0]

export interface ConnectionParts
  extends Partial<Omit<ConnectionPorts, 'findSecret'>>,
    Partial<Pick<ConnectionsDeps, 'confirm' | 'holdsMore' | 'onClockMoved'>> {
  readonly settings?: SettingsStore
  readonly keychain?: MemoryKeychain
}

/** Connections with in-memory settings and keychain and real HTTP. Clients close after the test. */
export function makeConnections({
  settings = memorySettings(),
  keychain = new MemoryKeychain(),
  confirm = async () => true,
  ...over
}: ConnectionParts = {}) {
  const logEntries: unknown[] = []
  const vault = createVault({ keychain, install: 'Install a keyring.', sessionAllowed: true })
  const connections = new Connections({
    settings,
    vault,
    confirm,
    commands: new AllowedCommands({ settings, confirm }),
    clock: () => new Date('2026-01-01T00:00:00Z'),
    proxyFor: async () => ({ kind: 'direct' }),
    planAt: () => undefined,
    random: () => 0,
    // Delays between retries end immediately. Longer waits are timeouts, which never expire.
    sleep: (ms, signal) =>
      ms < 10_000
        ? Promise.resolve()
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    log: { info: (...line) => logEntries.push(line), error: (...line) => logEntries.push(line) },
    ...over,
  })
  onTestFinished(() => connections.end())
  return { connections, settings, keychain, vault, logged: logEntries }
}
