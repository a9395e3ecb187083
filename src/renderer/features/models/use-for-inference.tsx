import type { MethodInput } from '@shared/contract'
import { Zap } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { toast } from '../../ui/toast'

/** Takes an API key, just told or kept before, for the connection's inference. */
export function UseForInference(input: MethodInput<'resources.useForInference'>) {
  const { t } = useTranslation('models')
  const words = useFailureWords()
  const using = useAction('resources.useForInference', {
    invalidates: ['playground'],
    onSuccess: () => void toast(t('keys.inUse'), { description: t('keys.inUseHint') }),
    onError: ({ failure }) => void toast(words(failure).title, { tone: 'danger', description: words(failure).remedy }),
  })
  return (
    <Button size="sm" icon={Zap} busy={using.isPending} onClick={() => using.mutate(input)}>
      {t('keys.use')}
    </Button>
  )
}
