import type { SettingsStore } from '../../src/main/core/settings/settings'
import type { Vault } from '../../src/main/core/vault/vault'
import { type OwnRelay, Routes } from '../../src/main/relay/routing/routes'
import { memorySettings } from './memory-settings'

interface RouteParts {
  readonly vault: Vault
  readonly settings?: SettingsStore
  readonly own?: OwnRelay
  /** Whether another process's relay responds. */
  readonly isAnswered?: () => boolean
}

/** Routes of a process without a relay. No relay answers by default. */
export function createRoutes({
  vault,
  settings = memorySettings(),
  own,
  isAnswered = () => false,
}: RouteParts): Routes {
  return new Routes({ settings, vault, own: () => own, answersAt: async () => isAnswered() })
}
