import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { Card, Section } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './handouts.module.css'

/** This computer's own public key, made when it is first shown, to give to whoever hands out keys. */
export function OwnRecipient() {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const asking = useAction('handouts.ownRecipient')
  const show = (): void => asking.mutate({})
  const recipient = asking.data?.recipient
  return (
    <Section
      title={t('own')}
      description={t('ownText')}
      actions={
        recipient === undefined ? (
          <Button size="sm" busy={asking.isPending} onClick={show}>
            {t('showOwn')}
          </Button>
        ) : null
      }
    >
      {asking.error ? <ExplainedFailure failure={asking.error.failure} handlers={{ tryAgain: show }} /> : null}
      {recipient === undefined ? null : (
        <Card>
          <div className={styles.code}>
            <Code quiet wrap>
              {recipient}
            </Code>
            <CopyText text={recipient} label={t('copyOwn')} size="md" />
          </div>
          <p className={styles.hint}>{t('ownHint')}</p>
        </Card>
      )}
    </Section>
  )
}
