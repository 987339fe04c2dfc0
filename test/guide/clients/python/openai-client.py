from openai import OpenAI

client = OpenAI(base_url="http://127.0.0.1:3000/v1", api_key="any")
stream = client.chat.completions.create(
    model="bar/main",
    messages=[{"role": "user", "content": "What is on the list?"}],
    stream=True,
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="")
