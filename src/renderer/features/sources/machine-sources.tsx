import type { UsageSources } from '@shared/contract'
import { AppWindow, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { RelativeTime } from '../../relative-time'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { relayTones } from '../relay/relay-header'
import { useRelay } from '../relay/use-relay'
import { figuresPath, relayPath } from '../usage/paths'

const rows = [
  { id: 'relay', icon: Waypoints },
  { id: 'app', icon: AppWindow },
] as const

function RelayState() {
  const { t } = useTranslation('relay')
  const { data } = useRelay()
  return data ? <Badge tone={relayTones[data.state]}>{t(`states.${data.state}`)}</Badge> : null
}

/** The relay and this app: how much each counted, and when last. */
export function MachineSources({ sources }: { readonly sources: UsageSources }) {
  const { t } = useTranslation('sources')
  const { number } = useFormats()
  return (
    <Section title={t('machine.title')}>
      <Rows label={t('machine.list')}>
        {rows.map(({ id, icon: Icon }) => {
          const { requests, lastAt } = sources[id]
          const name = t(`machine.${id}`)
          return (
            <Row
              key={id}
              leading={
                <RowMark>
                  <Icon size={15} strokeWidth={1.8} />
                </RowMark>
              }
              title={name}
              badge={id === 'relay' ? <RelayState /> : null}
              description={
                <Facts
                  items={[
                    t(`machine.${id}Text`),
                    requests === 0
                      ? t('machine.none')
                      : t('machine.requests', { count: requests, amount: number(requests) }),
                    lastAt && (
                      <span key="last">
                        {t('machine.last')} <RelativeTime at={lastAt} />
                      </span>
                    ),
                  ]}
                />
              }
              trailing={
                <>
                  {requests > 0 ? (
                    <ButtonLink
                      size="sm"
                      variant="ghost"
                      to={figuresPath({ scope: id, span: '30d' })}
                      aria-label={t('machine.showOf', { source: name })}
                    >
                      {t('machine.show')}
                    </ButtonLink>
                  ) : null}
                  {id === 'relay' ? (
                    <ButtonLink size="sm" to={relayPath}>
                      {t('machine.toRelay')}
                    </ButtonLink>
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
