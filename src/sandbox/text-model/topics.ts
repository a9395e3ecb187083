/** Things to name when a list or a table is asked for, by a word of the request. */
const topics: readonly (readonly [RegExp, readonly string[]])[] = [
  [/fruit/i, ['Mango', 'Papaya', 'Dragon fruit', 'Lychee', 'Guava', 'Banana', 'Pomelo', 'Durian', 'Jackfruit', 'Lime']],
  [/colou?r/i, ['Red', 'Orange', 'Yellow', 'Green', 'Teal', 'Blue', 'Indigo', 'Violet', 'Pink', 'Brown']],
  [/animal|mammal/i, ['Otter', 'Elephant', 'Gibbon', 'Tiger', 'Pangolin', 'Dolphin', 'Hare', 'Deer', 'Fox', 'Bear']],
  [/planet/i, ['Mercury', 'Venus', 'Earth', 'Mars', 'Jupiter', 'Saturn', 'Uranus', 'Neptune']],
  [/language/i, ['TypeScript', 'Python', 'Go', 'Rust', 'Java', 'Kotlin', 'C', 'Swift', 'Ruby', 'Elixir']],
  [
    /cit(y|ies)/i,
    ['Hà Nội', 'Huế', 'Đà Nẵng', 'Hội An', 'Đà Lạt', 'Nha Trang', 'Cần Thơ', 'Vũng Tàu', 'Sa Pa', 'Hạ Long'],
  ],
  [/days?\b/i, ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']],
]

/** `count` things that fit a topic; beyond what it knows it numbers them, so that there are always as many as asked for. */
export function name(topic: string, count: number): readonly string[] {
  const known = topics.find(([word]) => word.test(topic))?.[1] ?? []
  const label = topic.charAt(0).toUpperCase() + topic.slice(1)
  return Array.from({ length: count }, (_, index) => known[index] ?? `${label}, example ${index + 1}`)
}
