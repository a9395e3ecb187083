export { CertificateFile } from './certificate-file'
export { shownAddresses } from './entries'
export { useActiveConnection, useSwitchConnection, useSwitchWithToast } from './use-connections'
