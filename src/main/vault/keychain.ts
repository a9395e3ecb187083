import type { Keychain } from './vault'

/** The name under which items appear in the OS keychain. */
const service = 'Platform Companion'

/** The OS keychain through keytar; loaded at first use, since the load itself fails where libsecret is missing. */
export function osKeychain(): Keychain {
  return {
    get: async (account) => (await import('keytar')).default.getPassword(service, account),
    set: async (account, secret) => (await import('keytar')).default.setPassword(service, account, secret.expose()),
    remove: async (account) => {
      await (await import('keytar')).default.deletePassword(service, account)
    },
  }
}

/** What a person can do to get a keychain on this platform. */
export function keychainAdvice(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'Unlock the login keychain in Keychain Access.'
  if (platform === 'win32') return 'Start the service "Credential Manager" (VaultSvc).'
  return 'Install and unlock a keyring: sudo apt-get install gnome-keyring libsecret-1-0 (or KWallet), then sign in again.'
}
