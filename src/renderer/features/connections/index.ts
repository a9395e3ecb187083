export { CertificateFile } from './certificate-file'
export { shownAddresses } from './entries'
export { useActiveConnection, useSwitchConnection, useUse } from './use-connections'
