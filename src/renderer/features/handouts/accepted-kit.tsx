import { Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Card, Section } from '../../ui/page'
import { planPath } from '../plans/use-plan-menu'
import { setUpPath } from '../tools/tool-status'
import styles from './handouts.module.css'
import type { AcceptedKit } from './handouts-store'

/** A kit whose key is kept: set up the tools, and send the code back. */
export function AcceptedKitView({ kit, onAnother }: { readonly kit: AcceptedKit; readonly onAnother: () => void }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'open' })
  const { data: app } = useCall('app.get', {})
  const { planId, content, acknowledgement } = kit
  const plan = content.planName
  return (
    <>
      <Callout
        tone="success"
        title={t(app?.vault.kind === 'session' ? 'acceptedSession' : 'accepted', { plan })}
        actions={
          <>
            <ButtonLink size="sm" to={planPath(planId)}>
              {t('toPlan')}
            </ButtonLink>
            <ButtonLink size="sm" variant="primary" icon={Wrench} to={setUpPath({ planId })}>
              {t('setUp')}
            </ButtonLink>
          </>
        }
      />
      <Section title={t('code')} description={t('codeText', { from: content.from })}>
        <Card>
          <div className={styles.code}>
            <Code quiet wrap>
              {acknowledgement}
            </Code>
            <CopyText text={acknowledgement} label={t('copyCode')} size="md" />
          </div>
        </Card>
      </Section>
      <div className={styles.foot}>
        <Button onClick={onAnother}>{t('another')}</Button>
      </div>
    </>
  )
}
