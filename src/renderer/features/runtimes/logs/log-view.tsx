import { useVirtualizer } from '@tanstack/react-virtual'
import clsx from 'clsx'
import { ArrowDownToLine } from 'lucide-react'
import { Fragment, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button } from '../../../ui/button'
import { type LogLine, partsAround } from './log-lines'
import styles from './logs.module.css'

const lineHeight = 20
/** Within so many px of its end a log counts as at its end. */
const nearEnd = 8

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 } as const

interface LogViewProps {
  readonly lines: readonly LogLine[]
  readonly label: string
  readonly find: string
  readonly isWrapped: boolean
}

function Marked({ text, find }: { readonly text: string; readonly find: string }) {
  return partsAround(text, find).map((part, at) =>
    at % 2 === 1 ? (
      <mark key={`${String(at)}-${part}`}>{part}</mark>
    ) : (
      <Fragment key={`${String(at)}-${part}`}>{part}</Fragment>
    ),
  )
}

function Line({ line, find }: { readonly line: LogLine; readonly find: string }) {
  const { t } = useTranslation('runtimes')
  const { time, dateTime } = useFormats()
  const { at, level, word, text, rest } = line
  const iso = at === undefined ? undefined : new Date(at).toISOString()
  return (
    <>
      <span className={styles.time} title={iso && dateTime(iso)}>
        {iso ? time(iso) : line.time}
      </span>
      <span className={clsx(styles.level, level && styles[level])}>
        {word || (level ? t(`logs.levels.${level}`) : '')}
      </span>
      <span className={styles.text}>
        <Marked text={text} find={find} />
        {rest === '' ? null : (
          <span className={styles.rest}>
            {'  '}
            <Marked text={rest} find={find} />
          </span>
        )}
      </span>
    </>
  )
}

/** Keeps the end in sight as lines come and their heights become known, unless one has scrolled away from it. */
function useEnd(frame: RefObject<HTMLDivElement | null>, height: number) {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const stays = useRef(true)
  const toEnd = useCallback((): void => {
    stays.current = true
    if (frame.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [frame])
  useLayoutEffect(() => {
    if (height > 0 && stays.current) toEnd()
  }, [height, toEnd])
  const look = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): void => {
    stays.current = scrollHeight - scrollTop - clientHeight <= nearEnd
    setIsAtEnd(stays.current)
  }
  return { isAtEnd, look, toEnd }
}

/** The lines of a log, of which only those on the screen are drawn; it stays at its end until one scrolls away. */
export function LogView({ lines, label, find, isWrapped }: LogViewProps) {
  const { t } = useTranslation('runtimes')
  const frame = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: lines.length,
    estimateSize: (at) => lineHeight * ((lines[at]?.text.split('\n').length ?? 1) || 1),
    getScrollElement: () => frame.current,
    overscan: 12,
    paddingStart: 6,
    paddingEnd: 6,
  })
  const height = virtualizer.getTotalSize()
  const { isAtEnd, look, toEnd } = useEnd(frame, height)
  return (
    <div className={styles.around}>
      <div
        ref={frame}
        className={clsx(styles.frame, isWrapped && styles.wrapped)}
        role="log"
        aria-label={label}
        aria-live="off"
        {...reachable}
        onScroll={(event) => look(event.currentTarget)}
      >
        <div className={styles.lines} style={{ height }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index]
            return line ? (
              <div
                key={`${key}-${isWrapped}`}
                ref={virtualizer.measureElement}
                data-index={index}
                className={styles.line}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line line={line} find={find} />
              </div>
            ) : null
          })}
        </div>
      </div>
      {isAtEnd ? null : (
        <span className={styles.toEnd}>
          <Button size="sm" icon={ArrowDownToLine} onClick={toEnd}>
            {t('logs.toEnd')}
          </Button>
        </span>
      )}
    </div>
  )
}
