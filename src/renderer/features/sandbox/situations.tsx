import type { SandboxSituation, SandboxView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { RadioCards } from '../../ui/radio-cards'
import { ExplainedFailure } from '../failures/explained-failure'
import { toolPath } from '../tools/tool-status'
import styles from './sandbox.module.css'

const situations: readonly SandboxSituation[] = [
  'normal',
  'keyDisabled',
  'planExpired',
  'allowanceUsedUp',
  'serverError',
  'cutStream',
]

function VerifyTools({ planId }: { planId: string | undefined }) {
  const { t } = useTranslation('sandbox')
  const { data = [] } = useCall('tools.list', {})
  const tools = data.filter(({ applied }) => applied !== undefined && applied.planId === planId)
  if (tools.length === 0) return <p className={styles.muted}>{t('situations.noTool')}</p>
  return (
    <div className={styles.verify}>
      <span className={styles.muted}>{t('situations.verifyHint')}</span>
      {tools.map(({ id, name }) => (
        <ButtonLink key={id} size="sm" to={toolPath(id, 'verify')}>
          {t('situations.verify', { tool: name })}
        </ButtonLink>
      ))}
    </div>
  )
}

/** Situations to put the sandbox in, and where to see what they look like. */
export function Situations({ planId, situation = 'normal' }: Pick<SandboxView, 'planId' | 'situation'>) {
  const { t } = useTranslation('sandbox')
  const { mutate, error, isPending, variables } = useAction('sandbox.simulate', { invalidates: ['plans', 'sandbox'] })
  const active = isPending ? variables.situation : situation
  const choose = (value: string): void => {
    const chosen = situations.find((one) => one === value)
    if (chosen) mutate({ situation: chosen })
  }
  return (
    <Section title={t('situations.title')} description={t('situations.hint')}>
      <RadioCards
        label={t('situations.title')}
        columns={3}
        value={active}
        onValueChange={choose}
        options={situations.map((one) => ({
          value: one,
          label: t(`situations.${one}`),
          hint: t(`situations.${one}Hint`),
          badge: one === active && one !== 'normal' ? <Badge tone="warning">{t('situations.active')}</Badge> : null,
        }))}
      />
      {error ? <ExplainedFailure failure={error.failure} /> : null}
      <VerifyTools planId={planId} />
    </Section>
  )
}
