import type { SandboxSituation, SandboxView } from '@shared/contract'
import { Check, KeyRound, type LucideIcon, Server, Unplug } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { ControlRow } from '../../ui/rows'
import { ExplainedFailure } from '../failures/explained-failure'
import { toolPath } from '../tools/tool-status'
import sandboxStyles from './sandbox.module.css'
import styles from './situations.module.css'

interface Group {
  readonly name: 'access' | 'service' | 'network'
  readonly icon: LucideIcon
  readonly situations: readonly SandboxSituation[]
}

/** What can be wrong, by where the cause is. */
const groups: readonly Group[] = [
  { name: 'access', icon: KeyRound, situations: ['keyDisabled', 'planExpired', 'allowanceUsedUp'] },
  { name: 'service', icon: Server, situations: ['rateLimited', 'serverError', 'malformed'] },
  { name: 'network', icon: Unplug, situations: ['slow', 'cutStream', 'dropped'] },
]

const all: readonly SandboxSituation[] = ['normal', ...groups.flatMap(({ situations }) => situations)]

function Choice({ situation }: { readonly situation: SandboxSituation }) {
  const { t } = useTranslation('sandbox')
  const id = useId()
  return (
    <label className={styles.choice} htmlFor={id}>
      <RadioGroup.Item id={id} value={situation} className={styles.dot} aria-describedby={`${id}-hint`}>
        <RadioGroup.Indicator className={styles.mark} />
      </RadioGroup.Item>
      <span className={styles.words}>
        <span className={styles.label}>{t(`situations.${situation}`)}</span>
        <span id={`${id}-hint`} className={styles.hint}>
          {t(`situations.${situation}Hint`)}
        </span>
      </span>
    </label>
  )
}

function ChoiceGroup({ group, active }: { readonly group: Group; readonly active: SandboxSituation }) {
  const { t } = useTranslation('sandbox')
  const id = useId()
  const { name, icon: Icon, situations } = group
  return (
    <fieldset aria-labelledby={id} className={styles.group}>
      <h3 id={id} className={styles.groupTitle}>
        <Icon size={13} strokeWidth={1.9} aria-hidden="true" />
        {t(`situations.groups.${name}`)}
        {situations.includes(active) ? <Badge tone="warning">{t('situations.active')}</Badge> : null}
      </h3>
      {situations.map((one) => (
        <Choice key={one} situation={one} />
      ))}
    </fieldset>
  )
}

function VerifyTools({ planId }: { readonly planId: string | undefined }) {
  const { t } = useTranslation('sandbox')
  const { data = [] } = useCall('tools.list', {})
  const tools = data.filter(({ applied }) => applied !== undefined && applied.planId === planId)
  if (tools.length === 0) return <p className={styles.hint}>{t('situations.noTool')}</p>
  return (
    <div className={styles.verify}>
      <span className={styles.hint}>{t('situations.verifyHint')}</span>
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
    const chosen = all.find((one) => one === value)
    if (chosen) mutate({ situation: chosen })
  }
  return (
    <Section title={t('situations.title')} description={t('situations.hint')}>
      <div className={styles.board}>
        <RadioGroup.Root value={active} onValueChange={choose} aria-label={t('situations.title')}>
          <Choice situation="normal" />
          <div className={styles.groups}>
            {groups.map((group) => (
              <ChoiceGroup key={group.name} group={group} active={active} />
            ))}
          </div>
        </RadioGroup.Root>
        <ExpireTokens />
      </div>
      {error ? <ExplainedFailure failure={error.failure} /> : null}
      <VerifyTools planId={planId} />
    </Section>
  )
}

/** Makes the sign-in tokens that were given out so far invalid: over in a moment, so no situation to stay in. */
function ExpireTokens() {
  const { t } = useTranslation('sandbox', { keyPrefix: 'tokens' })
  const { time } = useFormats()
  const { mutate, isPending, isSuccess, submittedAt, error } = useAction('sandbox.expireTokens')
  return (
    <div className={sandboxStyles.foot}>
      <ControlRow
        label={t('title')}
        hint={t('hint')}
        control={
          <>
            <span role="status" className={sandboxStyles.done}>
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
