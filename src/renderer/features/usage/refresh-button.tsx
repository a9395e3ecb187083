import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { invalidateDomains } from '../../ipc'
import { IconButton } from '../../ui/icon-button'

/** Asks again for every figure on the page. */
export function RefreshButton() {
  const { t } = useTranslation('usage')
  const queries = useQueryClient()
  const asked = useIsFetching({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('usage.') })
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={asked > 0}
      onClick={() => invalidateDomains(queries, ['usage'])}
    />
  )
}
