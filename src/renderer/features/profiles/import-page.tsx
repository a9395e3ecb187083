import type { PlanView, ProfileFile } from '@shared/contract'
import { Download, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { EmptyState } from '../../ui/empty-state'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { ToolMark } from '../tools/tool-mark'
import { AddKeyDialog } from './add-key-dialog'
import { type ReadProfile, useImport } from './import-store'
import { NameField, readName } from './name-field'
import { listPath, switchPath } from './paths'
import styles from './profiles.module.css'
import { useReadFile } from './use-read-file'

function Notes({ file }: { readonly file: ProfileFile }) {
  const { t } = useTranslation('profiles')
  const nameOf = (id: string): string => file.tools.find(({ toolId }) => toolId === id)?.toolName ?? id
  const of = (what: ProfileFile['notes'][number]['what']): string =>
    file.notes
      .filter((note) => note.what === what)
      .map(({ toolId }) => nameOf(toolId))
      .join(', ')
  const [unknown, otherWay] = [of('toolUnknown'), of('deliveryUnknown')]
  if (unknown === '' && otherWay === '') return null
  return (
    <Callout tone="warning" title={t('import.notes')}>
      {unknown === '' ? null : <p>{t('import.toolUnknown', { tools: unknown })}</p>}
      {otherWay === '' ? null : <p>{t('import.deliveryUnknown', { tools: otherWay })}</p>}
    </Callout>
  )
}

interface PartsProps {
  readonly read: ReadProfile
  readonly plans: readonly PlanView[]
}

/** The tools of the file, each with the plan that it will use here. */
function Tools({ read, plans }: PartsProps) {
  const { t } = useTranslation('profiles')
  const { file } = read
  return (
    <Section title={t('import.tools')}>
      <Rows label={t('import.tools')}>
        {file.tools.map(({ toolId, toolName, planRef, modelCode }) => {
          const plan = plans.find(({ id }) => id === read.plans[planRef])
          const isUnlisted = plan !== undefined && plan.models.length > 0 && !plan.models.includes(modelCode)
          return (
            <Row
              key={toolId}
              leading={<ToolMark tool={{ name: toolName }} />}
              title={toolName}
              description={
                <>
                  <Facts
                    items={[
                      plan?.name ?? file.plans.find(({ ref }) => ref === planRef)?.name,
                      <Code key="model" quiet>
                        {modelCode}
                      </Code>,
                    ]}
                  />
                  {isUnlisted ? (
                    <p className={styles.problem}>{t('import.modelUnlisted', { plan: plan.name })}</p>
                  ) : null}
                </>
              }
            />
          )
        })}
      </Rows>
    </Section>
  )
}

function Plans({ read, plans }: PartsProps) {
  const { t } = useTranslation('profiles')
  return (
    <Section title={t('import.plans')} description={t('import.plansHint')}>
      <ul className={styles.entries} aria-label={t('import.plans')}>
        {read.file.plans.map((wanted) => (
          <PlanMatch key={wanted.ref} wanted={wanted} planId={read.plans[wanted.ref]} plans={plans} />
        ))}
      </ul>
    </Section>
  )
}

function Keep({ read, plans }: PartsProps) {
  const { t } = useTranslation(['profiles', 'common'])
  const navigate = useNavigate()
  const clear = useImport((store) => store.clear)
  const change = useImport((store) => store.change)
  const { data: profiles = [] } = useCall('profiles.list', {})
  const taken = profiles.map(({ name }) => name)
  const name = readName(read.name, taken)
  const chosen = read.file.plans.flatMap(({ ref }) => {
    const planId = read.plans[ref]
    return planId !== undefined && plans.some(({ id }) => id === planId) ? [[ref, planId] as const] : []
  })
  const isComplete = chosen.length === read.file.plans.length
  const keeping = useAction('profiles.import', {
    invalidates: ['profiles'],
    onSuccess: (profile) => {
      clear()
      void navigate(listPath, { replace: true })
      const action = { label: t('profiles:switch'), onClick: () => void navigate(switchPath(profile.id)) }
      void toast(t('profiles:import.done', { name: profile.name }), profile.isActive ? {} : { action })
    },
  })
  const leave = (): void => {
    clear()
    void navigate(listPath)
  }
  return (
    <>
      <Card>
        <NameField text={read.name} onText={(text) => change({ name: text })} taken={taken} />
      </Card>
      <Notes file={read.file} />
      <Plans read={read} plans={plans} />
      <Tools read={read} plans={plans} />
      {keeping.error ? <ExplainedFailure failure={keeping.error.failure} /> : null}
      <div className={styles.foot}>
        <p className={styles.why}>
          {isComplete ? t('profiles:import.nothingWritten') : t('profiles:import.needPlans')}
        </p>
        <Button variant="ghost" onClick={leave}>
          {t('common:cancel')}
        </Button>
        <Button
          variant="primary"
          busy={keeping.isPending}
          disabled={!isComplete || name === undefined}
          onClick={() =>
            name !== undefined && keeping.mutate({ importId: read.importId, name, plans: Object.fromEntries(chosen) })
          }
        >
          {t('profiles:import.keep')}
        </Button>
      </div>
    </>
  )
}

function ChooseFile() {
  const { t } = useTranslation('profiles')
  const { choose, isReading, failure } = useReadFile()
  return (
    <>
      {failure ? <ExplainedFailure failure={failure} handlers={{ tryAgain: choose }} /> : null}
      <EmptyState
        icon={Download}
        title={t('import.empty')}
        actions={
          <Button variant="primary" busy={isReading} onClick={choose}>
            {t('import.choose')}
          </Button>
        }
      >
        {t('import.emptyText')}
      </EmptyState>
    </>
  )
}

/** A teammate's profile: what is in it, and which plan of this computer stands for each of its plans. */
export function ImportProfilePage() {
  const { t } = useTranslation('profiles')
  const read = useImport((store) => store.read)
  const plans = useCall('plans.list', {})
  return (
    <Page>
      <PageHeader
        title={t('import.title')}
        state={t('import.state')}
        breadcrumb={[{ label: t('title'), to: listPath }]}
      />
      {read ? (
        <Loaded query={plans} skeleton={<SkeletonRows rows={4} />}>
          {(all) => <Keep key={read.importId} read={read} plans={all} />}
        </Loaded>
      ) : (
        <ChooseFile />
      )}
    </Page>
  )
}

interface PlanMatchProps {
  readonly wanted: ProfileFile['plans'][number]
  readonly planId: string | undefined
  readonly plans: readonly PlanView[]
}

/** One plan of the file and the plan of this computer that stands for it; those with the same gateway come first. */
export function PlanMatch({ wanted, planId, plans }: PlanMatchProps) {
  const { t } = useTranslation('profiles')
  const [isAdding, setIsAdding] = useState(false)
  const match = useImport((store) => store.match)
  const fits = (plan: PlanView): boolean => plan.gatewayUrl === wanted.gatewayUrl
  const chosen = plans.find(({ id }) => id === planId)
  const sorted = plans.toSorted((a, b) => Number(fits(b)) - Number(fits(a)))
  return (
    <li className={styles.match}>
      <div className={styles.wanted}>
        <p className={styles.toolName}>{wanted.name}</p>
        <div className={styles.facts}>
          <Facts
            items={[
              <Code key="gateway" quiet>
                {wanted.gatewayUrl}
              </Code>,
              t('import.models', { count: wanted.models.length }),
            ]}
          />
        </div>
      </div>
      <div className={styles.choice}>
        {chosen ? (
          <Badge tone={fits(chosen) ? 'success' : 'warning'}>
            {t(fits(chosen) ? 'import.sameGateway' : 'import.otherGateway')}
          </Badge>
        ) : (
          <Badge tone="warning">{t('import.noPlan')}</Badge>
        )}
        {plans.length > 0 ? (
          <div className={styles.planSelect}>
            <Select
              aria-label={t('import.planFor', { name: wanted.name })}
              value={chosen?.id}
              placeholder={t('import.choosePlan')}
              onValueChange={(id) => match(wanted.ref, id)}
              options={sorted.map(({ id, name, gatewayUrl }) => ({ value: id, label: name, hint: gatewayUrl }))}
            />
          </div>
        ) : null}
        <Button
          icon={KeyRound}
          variant={plans.some(fits) ? 'secondary' : 'primary'}
          aria-label={t('import.addKeyNamed', { name: wanted.name })}
          onClick={() => setIsAdding(true)}
        >
          {t('import.addKey')}
        </Button>
      </div>
      {isAdding ? (
        <AddKeyDialog
          wanted={wanted}
          taken={plans.map(({ name }) => name)}
          onClose={() => setIsAdding(false)}
          onAdded={(plan) => {
            match(wanted.ref, plan.id)
            setIsAdding(false)
          }}
        />
      ) : null}
    </li>
  )
}
