import { join } from 'node:path'
import { createCore } from '../../../src/main/compose/compose'
import { createVault } from '../../../src/main/core/vault/vault'
import type { MemoryKeychain } from '../../support/memory-keychain'
import { memoryStore } from '../../support/memory-settings'

type CoreOptions = Parameters<typeof createCore>[0]

/** The core of a simulated computer that agrees to every question and has no proxy. */
export const createTestCore = (dataDir: string, keychain: MemoryKeychain, log: CoreOptions['log']) =>
  createCore({
    version: '0.0.0',
    dataDir,
    store: memoryStore(),
    vault: createVault({ keychain, install: 'Install a keyring.', sessionAllowed: true }),
    launcher: { path: join(dataDir, 'companion'), ensure: () => undefined, lost: () => undefined },
    log,
    confirm: async () => true,
    proxyFor: async () => ({ kind: 'direct' }),
  })
