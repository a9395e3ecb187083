import clsx from 'clsx'
import { type ComponentProps, useRef } from 'react'
import { TextArea } from '../../ui/text-area'
import { partsOf } from './variables'
import styles from './variables-area.module.css'

/** A control for several lines of text whose `{{variables}}` are tinted as they are typed. It grows with the text up to its limit. */
export function VariablesArea({
  value,
  className,
  ...rest
}: Omit<ComponentProps<typeof TextArea>, 'value'> & { readonly value: string }) {
  const behind = useRef<HTMLDivElement>(null)
  const follow = (area: HTMLTextAreaElement): void => {
    behind.current?.scrollTo({ top: area.scrollTop })
  }
  return (
    <div className={clsx(styles.stack, className)}>
      <div ref={behind} className={styles.behind} aria-hidden="true">
        {partsOf(value).map(({ kind, text, at }) =>
          kind === 'variable' ? <mark key={at}>{text}</mark> : <span key={at}>{text}</span>,
        )}
        {/* A line end at the end takes no room of its own. */}
        {'\u200b'}
      </div>
      <TextArea {...rest} value={value} className={styles.area} onScroll={(event) => follow(event.currentTarget)} />
    </div>
  )
}
