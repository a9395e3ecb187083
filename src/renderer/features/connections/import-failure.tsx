import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { ExplainedFailure } from '../failures/explained-failure'
import { shownAddresses } from './address-groups'

/** The names under which people keep secrets; main refuses a file that has one of them. */
const secretName = /secret|passw|api[-_]?key|^key$|token$|^authorization$/i

/** The words for what in a file is at fault: a secret, an address, or something else in it. */
function useFileWords(): (failure: Failure) => { title: string; text: string; remedy: string } | undefined {
  const { t } = useTranslation('connections')
  const explain = useFailureWords()
  return (failure) => {
    const { code, field } = failure
    if (field === undefined) return undefined
    if (code === 'input.invalid') {
      const what = secretName.test(field) ? 'secret' : 'entry'
      const text = t(`import.${what}.text`, { field })
      return { title: t(`import.${what}.title`), text, remedy: t(`import.${what}.remedy`) }
    }
    const address = [...shownAddresses, 'tokenUrl' as const].find((key) => key === field)
    if (!address) return undefined
    const { title, explanation, remedy } = explain(failure)
    return { title: `${t(`addresses.${address}.name`)}: ${title}`, text: explanation, remedy }
  }
}

/** Why a connection file could not be read, and a press to choose another. */
export function ImportFailure({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const { t } = useTranslation('common')
  const words = useFileWords()(failure)
  if (!words) return <ExplainedFailure failure={failure} handlers={{ tryAgain: onRetry }} />
  return (
    <Callout
      tone="danger"
      title={words.title}
      details={<span lang="en">{failure.message}</span>}
      actions={
        <Button size="sm" onClick={onRetry}>
          {t('retry')}
        </Button>
      }
    >
      <p>{words.text}</p>
      <p>{words.remedy}</p>
    </Callout>
  )
}
