export { CertificateFile } from './certificate-file'
export { shownAddresses } from './entries'
export { OperationRow, OperationStateIcon, useOperationTexts } from './operations'
export { useActiveConnection, useSwitchConnection, useSwitchWithToast } from './use-connections'
