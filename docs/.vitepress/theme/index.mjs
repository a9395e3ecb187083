import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { defineComponent, h, onMounted, ref, watch } from 'vue'
import './style.css'

let drawn = 0

/** Renders a Mermaid diagram in the colors of the theme. */
const Diagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData()
    const svg = ref('')
    const draw = async () => {
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'neutral' })
      drawn += 1
      svg.value = (await mermaid.render(`diagram-${drawn}`, decodeURIComponent(props.code))).svg
    }
    onMounted(draw)
    watch(isDark, draw)
    return () => h('div', { class: 'diagram', innerHTML: svg.value })
  },
})

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => app.component('Diagram', Diagram),
}
