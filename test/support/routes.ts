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

/** Which tools go through the relay, as a process without one knows it; none answers unless told otherwise. */
export function routesWith({ vault, settings = memorySettings(), own, isAnswered = () => false }: RouteParts): Routes {
  return new Routes({ settings, vault, own: () => own, answersAt: async () => isAnswered() })
}
