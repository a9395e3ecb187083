/** A private virtual desktop for tests that need one of their own, for example one without a keychain. */
export { startDesktop, withDesktop } from '../../scripts/lib/desktop.mjs'
