import type { SettingsStore } from '../../src/main/core/settings/settings'
import type { Vault } from '../../src/main/core/vault/vault'
import { type OwnRelay, Routes } from '../../src/main/relay/routing/routes'
import { memorySettings } from './memory-settings'

interface RouteParts {
  readonly vault: Vault
  readonly settings?: SettingsStore
  readonly own?: OwnRelay
  /** Returns whether a relay in another process responds. */
  readonly isAnswered?: () => boolean
}

/** Creates the relay routes of a process that runs no relay. By default no relay responds. */
export function createRoutes({
  vault,
  settings = memorySettings(),
  own,
  isAnswered = () => false,
}: RouteParts): Routes {
  return new Routes({ settings, vault, own: () => own, answersAt: async () => isAnswered() })
}
