import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { ControlRow } from '../../ui/control-row'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './sandbox.module.css'

/** Makes the sign-in tokens that were given out so far invalid: over in a moment, so no situation to stay in. */
export function ExpireTokens() {
  const { t } = useTranslation('sandbox', { keyPrefix: 'tokens' })
  const { time } = useFormats()
  const { mutate, isPending, isSuccess, submittedAt, error } = useAction('sandbox.expireTokens')
  return (
    <div className={styles.foot}>
      <ControlRow
        label={t('title')}
        hint={t('hint')}
        control={
          <>
            <span role="status" className={styles.done}>
              {isSuccess ? (
                <>
                  <Check size={13} strokeWidth={2.2} aria-hidden="true" />
                  {t('done', { time: time(new Date(submittedAt).toISOString()) })}
                </>
              ) : null}
            </span>
            <Button size="sm" busy={isPending} onClick={() => mutate({})}>
              {t('expire')}
            </Button>
          </>
        }
      >
        {error ? <ExplainedFailure failure={error.failure} /> : null}
      </ControlRow>
    </div>
  )
}
