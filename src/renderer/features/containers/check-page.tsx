import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Card, Section } from '../../ui/page'
import { SectionPage } from '../resources/section-page'
import { checkPath } from '../runtimes/paths'
import { runtimesSection } from '../runtimes/section'
import { CheckForm } from './check-form'
import { useCheckStore } from './check-store'
import styles from './containers.module.css'
import { Findings } from './findings'
import { useCheck } from './use-check'

/** What the runtime injects into a container (spec, "Agent container contract"). */
const injected = ['PLATFORM_CLIENT_ID', 'PLATFORM_CLIENT_SECRET', 'PLATFORM_AGENT_IDENTITY'] as const

function Injected() {
  const { t } = useTranslation('runtimes')
  return (
    <Section title={t('check.injected')} description={t('check.injectedText')}>
      <Card>
        <dl className={styles.variables}>
          {injected.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{t(`check.variables.${name}`)}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </Section>
  )
}

/** Whether an agent container on this computer does what the runtime demands. No connection is needed. */
export function CheckPage() {
  const { t } = useTranslation('runtimes')
  const check = useCheck()
  const found = useCheckStore((store) => store.found)
  const findings = useRef<HTMLDivElement>(null)
  const last = useRef(found?.at)
  useEffect(() => {
    if (found && found.at !== last.current) findings.current?.scrollIntoView({ block: 'start' })
    last.current = found?.at
  }, [found])
  return (
    <SectionPage section={runtimesSection} tab={checkPath}>
      <Section title={t('check.title')} description={t('check.text')}>
        <CheckForm check={check} />
      </Section>
      {found ? (
        <div ref={findings} className={styles.found}>
          <Findings check={found} />
        </div>
      ) : null}
      <Injected />
    </SectionPage>
  )
}
