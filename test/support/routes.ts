import { type OwnRelay, Routes } from '../../src/main/routing/routes'
import type { SettingsStore } from '../../src/main/settings/settings'
import type { Vault } from '../../src/main/vault/vault'
import { memorySettings } from './memory-settings'

interface RouteParts {
  readonly vault: Vault
  readonly settings?: SettingsStore
  readonly own?: OwnRelay
  /** Whether a relay of another process answers. */
  readonly isAnswered?: () => boolean
}

/** Routes of a process without a relay. No relay answers by default. */
export function routesWith({ vault, settings = memorySettings(), own, isAnswered = () => false }: RouteParts): Routes {
  return new Routes({ settings, vault, own: () => own, answersAt: async () => isAnswered() })
}
