import type { HandoutResult } from '@shared/contract'
import { Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { KeyValue } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { enterCodePath, registerPath } from '../register/paths'
import styles from './handouts.module.css'
import { PassphraseButtons } from './passphrase-buttons'

/** What to do with the kit, in order. */
function Next({ result }: { readonly result: HandoutResult }) {
  const { t } = useTranslation(['handouts', 'register'])
  const holder = result.holder.name
  const steps = [
    t(result.hasPassphrase ? 'handouts:result.sendFile' : 'handouts:result.sendFileRecipient', { holder }),
    ...(result.hasPassphrase ? [t('handouts:result.sendPassphrase')] : []),
    t('handouts:result.theyOpen'),
    t('handouts:result.theyAnswer'),
  ]
  return (
    <Section
      title={t('handouts:result.next')}
      actions={
        <ButtonLink size="sm" to={enterCodePath}>
          {t('register:enterCode')}
        </ButtonLink>
      }
    >
      <ol className={styles.steps} aria-label={t('handouts:result.next')}>
        {steps.map((step, at) => (
          <li key={step}>
            <span className={styles.number} aria-hidden="true">
              {at + 1}
            </span>
            <p>{step}</p>
          </li>
        ))}
      </ol>
    </Section>
  )
}

/** A kit that was made: where it is, its passphrase, what to send how, and the next one. */
export function HandoutReady({
  result,
  onAnother,
}: {
  readonly result: HandoutResult
  readonly onAnother: () => void
}) {
  const { t } = useTranslation('handouts')
  const { holder, keyName, path, hasPassphrase } = result
  return (
    <>
      <Callout tone="success" title={t('result.title', { holder: holder.name })} />
      <Card>
        <KeyValue
          items={[
            ...(path === undefined
              ? []
              : [
                  {
                    label: t('result.file'),
                    value: (
                      <Code quiet wrap>
                        {path}
                      </Code>
                    ),
                    action: <CopyText text={path} label={t('result.copyPath')} />,
                  },
                ]),
            { label: t('result.key'), value: keyName },
          ]}
        />
      </Card>
      {hasPassphrase ? (
        <Section title={t('result.passphrase')} description={t('result.passphraseText')}>
          <div className={styles.buttons}>
            <PassphraseButtons result={result} />
          </div>
        </Section>
      ) : null}
      <Next result={result} />
      <div className={styles.foot}>
        <ButtonLink to={registerPath}>{t('result.toRegister')}</ButtonLink>
        <Button variant={hasPassphrase ? 'secondary' : 'primary'} icon={Send} onClick={onAnother}>
          {t('result.another')}
        </Button>
      </div>
    </>
  )
}
