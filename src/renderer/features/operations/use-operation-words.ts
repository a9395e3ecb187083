import type { OperationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'

/** What an operation does, did, or failed to do: "Creating API key ci-runner". */
export function useOperationWords(): (operation: OperationView) => string {
  const { t } = useTranslation('operations')
  return ({ kind, state, subject }) => t(`kinds.${kind}.${state}`, { subject })
}
