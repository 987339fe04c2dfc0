from langchain_openai import ChatOpenAI

model = ChatOpenAI(model="bar/main", base_url="http://127.0.0.1:3000/v1", api_key="any")
for chunk in model.stream("What is on the list?"):
    print(chunk.text, end="")
