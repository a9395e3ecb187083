export { KeychainAdvice } from './keychain-advice'
